"""A scripted OpenAI-compatible server for tests, and the scripts it runs."""
