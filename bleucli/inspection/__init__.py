"""What looks wrong with texts: out of step, of different lengths, or of another kind than a score was made for."""
