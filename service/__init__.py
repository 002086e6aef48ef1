"""The service: lets players reach the engines over HTTP, and keeps matches in Redis."""

VERSION = "0.1.0"
"""As in pyproject.toml; a test compares the two, for the service also runs where it is not installed as a package."""
