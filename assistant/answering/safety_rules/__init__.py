"""The rules of the screen for danger, as data. They recognise; none of their words is ever shown."""
