"""What looks wrong with texts: they are out of step, differ in length, or do not suit the metric."""
