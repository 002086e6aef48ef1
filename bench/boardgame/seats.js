// Four seats at each of many tables, over boardgame.io's own client transport; whoever is to move plays a card at once.
//
// `node seats.js` reads a plan as JSON from standard input: {port, tables, matches, warm_s, measure_s, watch: [pid]},
// where `matches` is how many are made ready for each table, to be played one after the other. It prints what came of it
// within the measured time, as JSON.
//
// There is no client above the transport: that would run every move a second time, to show it before the server has
// confirmed it. The time of a move is from sending it until its own seat has the state that the server made of it.
"use strict";

const fs = require("node:fs");
const { SocketIO } = require("boardgame.io/multiplayer");
const { Tricks, SEATS } = require("./game.js");

const TICKS_A_SECOND = 100;

class Table {
  // `matches` are {matchID, credentials}; `counts` are shared by all tables.
  constructor(port, matches, counts) {
    this.matches = matches;
    this.counts = counts;
    this.underWay = new Map(); // state's number -> {sentAt, mover, left}
    this.numbers = Array(SEATS).fill(0); // which of the matches each seat sits at
    this.synced = 0;
    this.playing = false;
    const open = SocketIO({ server: `127.0.0.1:${port}`, socketOpts: { transports: ["websocket"], forceNew: true } });
    this.seats = Array.from({ length: SEATS }, (_, seat) =>
      open({
        gameName: Tricks.name,
        playerID: String(seat),
        matchID: matches[0].matchID,
        credentials: matches[0].credentials[seat],
        numPlayers: SEATS,
        transportDataCallback: ({ type, args }) => this.hear(seat, type, args),
      }),
    );
  }

  // What the server says to a seat: once the match as it is, then every new state.
  hear(seat, type, [matchID, said]) {
    if (matchID !== this.seats[seat].matchID) return;
    if (type === "sync") this.sitDown(seat, said.state);
    else if (type === "update") this.see(seat, said);
  }

  // Nobody plays before all four are there.
  sitDown(seat, state) {
    if (isNext(seat, state)) this.first = { seat, state };
    this.synced += 1;
    if (this.synced === SEATS) this.play(this.first.seat, this.first.state);
  }

  see(seat, state) {
    const now = performance.now();
    const move = this.underWay.get(state._stateID);
    move.left -= 1;
    if (this.counts.measuring) {
      this.counts.pushes += 1;
      if (seat === move.mover) this.counts.confirmed.push(now - move.sentAt);
      if (move.left === 0) this.counts.told.push(now - move.sentAt);
    }
    if (move.left === 0) this.underWay.delete(state._stateID);
    if (state.ctx.gameover !== undefined) this.leave(seat);
    else if (isNext(seat, state)) this.play(seat, state);
  }

  play(seat, state) {
    this.playing = true;
    const card = state.G.hands[seat][0];
    const payload = { type: "play", args: [card], playerID: String(seat), credentials: this.seats[seat].credentials };
    this.underWay.set(state._stateID + 1, { sentAt: performance.now(), mover: seat, left: SEATS });
    this.seats[seat].sendAction(state, { type: "MAKE_MOVE", payload });
  }

  // The match is over: on to the table's next one.
  leave(seat) {
    this.numbers[seat] += 1;
    const match = this.matches[this.numbers[seat]];
    if (match === undefined) throw new Error("a table has run out of matches: prepare more");
    this.synced %= SEATS;
    this.seats[seat].matchID = match.matchID;
    this.seats[seat].credentials = match.credentials[seat];
    this.seats[seat].requestSync();
  }
}

function isNext(seat, state) {
  return Number(state.ctx.currentPlayer) === seat;
}

async function ask(port, path, body) {
  const answer = await fetch(`http://127.0.0.1:${port}/games/${Tricks.name}/${path}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

// A match whose four seats are taken.
async function seated(port) {
  const { matchID } = await ask(port, "create", { numPlayers: SEATS });
  const credentials = [];
  for (let seat = 0; seat < SEATS; seat++) {
    const joined = await ask(port, `${matchID}/join`, { playerID: String(seat), playerName: `Seat ${seat}` });
    credentials.push(joined.playerCredentials);
  }
  return { matchID, credentials };
}

// The CPU time of a process so far, user and system, in seconds (Linux).
function cpu(pid) {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").pop().split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_A_SECOND;
}

const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

const socketOf = (seat) => seat.socket.io.engine.transport.ws._socket;

const pause = (seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

async function main() {
  const plan = JSON.parse(fs.readFileSync(0, "utf8"));
  const counts = { measuring: false, confirmed: [], told: [], pushes: 0 };
  const tables = [];
  for (let number = 0; number < plan.tables; number++) {
    const matches = [];
    while (matches.length < plan.matches) matches.push(await seated(plan.port));
    tables.push(new Table(plan.port, matches, counts));
  }
  for (const table of tables) for (const seat of table.seats) seat.connect();
  while (tables.some((table) => !table.playing)) await pause(0.01);
  await pause(plan.warm_s);

  const watched = [...plan.watch, process.pid];
  // All that has come over the sockets, to the byte.
  const received = () => sum(tables.flatMap((table) => table.seats.map((seat) => socketOf(seat).bytesRead)));
  const before = watched.map(cpu);
  const heard = received();
  const begun = performance.now();
  counts.measuring = true;
  await pause(plan.measure_s);
  counts.measuring = false;
  const seconds = (performance.now() - begun) / 1000;
  const used = watched.map((pid, place) => cpu(pid) - before[place]);
  const { confirmed, told, pushes } = counts;
  const bytes = received() - heard;
  const said = { confirmed, told, pushes, bytes, seconds, cpu_s: used.slice(0, -1), own_cpu_s: used.at(-1) };
  process.stdout.write(JSON.stringify(said), () => process.exit(0));
}

main();
