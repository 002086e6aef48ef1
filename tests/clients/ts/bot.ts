// A bot that plays every seat of one match with random legal moves, through types made from the OpenAPI document.
// node bot.js ADDRESS GAME SEED; prints the outcome as JSON.

import type { components, paths } from "./shorebreak.js";

declare const process: { argv: string[] };

type Method = "get" | "post";
type Json<T> = T extends { content: { "application/json": infer Content } } ? Content : never;
type Operation<P, M extends Method> = P extends keyof paths ? NonNullable<paths[P][M]> : never;
type Body<O> = O extends { requestBody: infer Request } ? Json<Request> : undefined;
type Success<R> = R extends { 200: infer A } ? Json<A> : R extends { 201: infer A } ? Json<A> : never;
type Answer<O> = O extends { responses: infer Responses } ? Success<Responses> : never;

// Every game that the document has paths for.
type GameOf<P> = P extends `/v1/games/${infer G}/matches` ? G : never;
type Game = GameOf<keyof paths>;

const [, , base = "", game = "", seed = "1"] = process.argv;

async function ask<P extends keyof paths, M extends Method>(
  method: M,
  path: P,
  places: Record<string, string | number>,
  body: Body<Operation<P, M>>,
  token?: string,
): Promise<Answer<Operation<P, M>>> {
  const fill = (made: string, [name, value]: [string, string | number]) => made.replace(`{${name}}`, String(value));
  const address = Object.entries(places).reduce(fill, path as string);
  const answer = await fetch(base + address, {
    method: method.toUpperCase(),
    headers: { "Content-Type": "application/json", ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) {
    const problem = (await answer.json()) as components["schemas"]["Problem"];
    throw new Error(`${problem.status} ${problem.code}: ${problem.detail}`);
  }
  return (await answer.json()) as Answer<Operation<P, M>>;
}

// The same moves for the same seed (mulberry32).
function chance(state: number): (below: number) => number {
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

async function play(game: Game): Promise<object> {
  const below = chance(Number(seed));
  const matches = `/v1/games/${game}/matches` as const;
  const seat_moves = `${matches}/{match}/seats/{seat}/moves` as const;
  const { match: made } = await ask("post", matches, {}, { seats: 2 });
  const match = made.match;
  const tokens: string[] = [];
  for (const name of ["Ada", "Ben"]) {
    const { token } = await ask("post", `${matches}/{match}/seats`, { match }, { name });
    if (token === null) throw new Error("a player's seat has a token");
    tokens.push(token);
  }
  for (;;) {
    const { to_move, outcome } = await ask("get", `${matches}/{match}`, { match }, undefined);
    const seat = to_move[0];
    if (seat === undefined) {
      if (outcome === null) throw new Error("a match that nobody moves in has an outcome");
      return outcome;
    }
    const token = tokens[seat];
    const place = { match, seat };
    const { version, moves } = await ask("get", `${matches}/{match}/seats/{seat}/legal-moves`, place, undefined, token);
    const move = moves?.[below(moves.length)];
    if (move === undefined) throw new Error("a seat that is to move has a move");
    // The union of all games' moves: that this one is this game's is known to whoever asked for it.
    const body = { move, expected_version: version } as Body<Operation<typeof seat_moves, "post">>;
    const played = await ask("post", seat_moves, place, body, token);
    if (played.version !== version + 1) throw new Error("a move counts the version up by one");
  }
}

console.log(JSON.stringify(await play(game as Game)));
