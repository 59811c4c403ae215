"""The command line: the only room that prints, exits, and reads arguments and the environment."""
