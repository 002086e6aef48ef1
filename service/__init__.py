"""The service: lets players reach the engines over HTTP, and keeps matches in Redis."""
