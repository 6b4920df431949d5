"""The traffic graph for programs that draw or analyse graphs; names in it do nothing there."""
