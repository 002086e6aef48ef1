from engines.ufo_wave.game import make_game

GAME = make_game()
