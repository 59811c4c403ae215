"""Test sets. `demo`, a small English-German one, comes with the package."""
