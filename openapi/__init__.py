"""The published document and its examples. A package only so that an installed service finds them."""
