"""Models behind protocols. Nothing else imports a model library; nothing heavy loads before its use."""
