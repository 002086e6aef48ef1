// boardgame.io's server as its documentation sets it up: its socket transport, its lobby, matches in its own memory.
// `node server.js` takes a free port and says which.
"use strict";

const { Server } = require("boardgame.io/server");
const { Tricks } = require("./game.js");

const server = Server({ games: [Tricks], origins: ["http://127.0.0.1"] });

server.run(0).then(({ appServer }) => {
  process.stdout.write(`boardgame.io answers at http://127.0.0.1:${appServer.address().port}\n`);
});
