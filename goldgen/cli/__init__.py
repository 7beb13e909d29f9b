"""The command line: each command parses, calls one function of app, and renders."""
