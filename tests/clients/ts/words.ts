// Compiled, not run: the moves of a game can be told apart by `type`, every type is known, and each has its own fields.

import type { components } from "./shorebreak.js";

export function wave(move: components["schemas"]["WaveMove"]): string {
  switch (move.type) {
    case "play":
    case "propose_silver":
      return `${move.type} card ${move.card.toFixed()}`;
    case "tip":
      return `${move.says} of ${move.about.toFixed()} and ${move.mine?.toFixed() ?? "no other"}`;
  }
}

export function onda(move: components["schemas"]["OndaMove"]): string {
  switch (move.type) {
    case "follow":
    case "bomb":
      return `${move.type} with ${[...move.cards, move.wild?.as ?? "no wild"].join(" ")}`;
    case "turn_tide":
      return `takes ${move.take} back and lays ${move.cards.join(" ")}`;
    case "set_aside":
      return `sets ${move.cards.join(" and ")} aside`;
    case "keep_bomb":
    case "skip_bomb":
    case "pass":
      return move.type;
  }
}

export function faces(view: components["schemas"]["WaveView"]): string[] {
  return view.hands.flatMap((hand) => hand.cards.map((card) => card.face ?? "hidden"));
}
