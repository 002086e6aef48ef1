// The game that boardgame.io's server plays: for four, with hidden hands, about as long and as large as a match of Onda.
//
// Thirteen cards each; seats play one card in turn, and the highest of four takes the trick. Six hands are a match: 312
// moves. Everybody sees what has been played in the hand, how many cards each seat holds, and the points.
"use strict";

const SEATS = 4;
const HANDS = 6;
const CARDS = Array.from({ length: 52 }, (_, place) => "cdhs"[place % 4] + (1 + Math.floor(place / 4)));

const rank = (card) => Number(card.slice(1));

function deal(G, random) {
  const cards = random.Shuffle(CARDS);
  G.hand += 1;
  G.played = [];
  G.trick = [];
  for (let seat = 0; seat < SEATS; seat++) {
    G.hands[seat] = cards.slice(13 * seat, 13 * (seat + 1)).sort();
    G.seats[seat].cards = 13;
  }
}

function take(G) {
  let best = G.trick[0];
  for (const laid of G.trick) if (rank(laid.card) > rank(best.card)) best = laid;
  G.seats[best.seat].points += 1;
  G.leader = best.seat;
  G.trick = [];
}

const Tricks = {
  name: "tricks",
  minPlayers: SEATS,
  maxPlayers: SEATS,
  disableUndo: true,

  setup: ({ random }) => {
    const seats = Array.from({ length: SEATS }, (_, seat) => ({ seat, points: 0, cards: 0 }));
    const G = { hand: 0, hands: {}, seats, leader: 0, trick: [], played: [] };
    deal(G, random);
    return G;
  },

  turn: { minMoves: 1, maxMoves: 1 },

  moves: {
    play: ({ G, playerID, random }, card) => {
      const hand = G.hands[playerID];
      const place = hand.indexOf(card);
      if (place < 0) return "INVALID_MOVE";
      hand.splice(place, 1);
      const seat = Number(playerID);
      G.seats[seat].cards -= 1;
      G.trick.push({ seat, card });
      G.played.push({ seat, card });
      if (G.trick.length === SEATS) take(G);
      if (G.played.length === CARDS.length && G.hand < HANDS) deal(G, random);
    },
  },

  endIf: ({ G }) =>
    G.hand === HANDS && G.played.length === CARDS.length ? { points: G.seats.map((seat) => seat.points) } : undefined,

  playerView: ({ G, playerID }) => ({
    ...G,
    hands: playerID in G.hands ? { [playerID]: G.hands[playerID] } : {},
  }),
};

module.exports = { Tricks, SEATS };
