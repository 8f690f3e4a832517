// A game between two seats: asks the engines for their moves when it is their turn, and takes the people's.

import {Clock, kClocks} from './clock.js';
import {Game} from './game.js';
import {Cancelled} from './remote.js';
import {isHuman} from './seats.js';

// An engine's move takes at least so long, so that one can follow it.
const kReplyMs = 350, kWatchMs = 900;

export class Match {
  // engine: for the rules. players: Players. ask(request, {signal}): an engine's move. onChange() after everything that
  // can be seen; onTrouble(message) when an engine fails.
  constructor({engine, players, ask, rules, seats, clock, onChange, onTrouble}) {
    this.game = new Game(engine, '', '', rules);
    this.players = players;
    this.ask = ask;
    this.seats = seats.map((seat) => players.seatFor(seat, rules));
    this.onChange = onChange;
    this.onTrouble = onTrouble;
    this.clockName = clock;
    this.clock = null;
    this.late = null;  // who has lost on time
    this.paused = false;  // the engines wait: for someone who looks back, or has just put up a position
    this.thinking = null;  // the AbortController of the engine's move
    this.previous = null;  // the game that a new one or a pasted one took the place of, and who played it
    this.resetClock();
  }

  get toAct() {
    return this.game.state.player;
  }
  get over() {
    return this.game.state.over || (this.late !== null && !this.game.reviewing);
  }
  // Whether the game, not the position looked at, has ended.
  get finished() {
    return this.late !== null || this.game.stateAt(this.game.moves.length).over;
  }
  get humanToAct() {
    return !this.over && isHuman(this.seats[this.toAct]);
  }
  get watching() {
    return !this.seats.some(isHuman);
  }
  // An engine would move if it were not held back.
  get held() {
    return !this.over && !this.humanToAct && (this.paused || this.game.reviewing);
  }

  newGame(rules = this.game.rules) {
    this.change(() => {
      this.replaceGame('', '', rules);
      this.paused = false;
    });
  }
  // Throws EngineError, and changes nothing, if the texts are no game.
  load(start, moves, rules = this.game.rules, loaded = undefined) {
    this.change(() => {
      this.replaceGame(start, moves, rules, loaded);
      this.paused = true;
    });
  }
  replaceGame(start, moves, rules, loaded = undefined) {
    const {game} = this;
    const before = {start: game.start, moves: game.moves.join(' '), rules: game.rules, loaded: game.loaded, seats: this.seats};
    game.load(start, moves, rules, loaded);
    if (before.moves !== '') this.previous = before;
    this.seats = this.seats.map((seat) => this.players.seatFor(seat, rules));
    this.resetClock();
  }
  setSeats(seats) {
    this.change(() => {
      this.seats = seats;
    });
  }
  // By its name in kClocks. Both clocks begin anew.
  setClock(name) {
    this.change(() => {
      this.clockName = name;
      this.resetClock();
    });
  }
  resetClock() {
    const setting = kClocks[this.clockName];
    this.late = null;
    this.clock = setting.seconds ? new Clock(setting) : null;
    this.clockFrom = this.game.moves.length;
  }
  // A person's move; ignored when it is not a person's turn, or not legal.
  play(move) {
    this.checkTime();
    if (!this.humanToAct || !this.game.isLegal(move)) return false;
    this.change(() => {
      this.makeMove(move);
      this.paused = false;
    });
    return true;
  }
  makeMove(move) {
    const player = this.toAct;
    // Somebody who plays on from an earlier move has the time that was left then.
    if (this.game.reviewing) this.backTo(this.game.at);
    this.game.play(move);
    this.clock?.moved(player, this.game.moves.length - this.clockFrom);
  }
  backTo(n) {
    this.late = null;
    this.clockFrom = Math.min(this.clockFrom, n);
    this.clock?.backTo(n - this.clockFrom);
  }
  // The number of moves that are left after an undo: back to the last choice that a person had, or by one when nobody
  // plays. null: there is none.
  get undoTarget() {
    const {game} = this;
    if (game.reviewing) return null;  // it would take more than the eye can see
    if (this.watching) return game.at > 0 ? game.at - 1 : null;
    for (let n = game.at - 1; n >= 0; --n) {
      if (isHuman(this.seats[game.stateAt(n).player])) return n;
    }
    return null;
  }
  // Before a person's first move, the game that this one took the place of comes back.
  get canUndo() {
    return this.undoTarget !== null || (this.previous !== null && !this.game.reviewing);
  }
  undo() {
    const target = this.undoTarget;
    if (!this.canUndo) return;
    if (target === null) {
      const {start, moves, rules, loaded, seats} = this.previous;
      // Under other rules there may have been other players.
      if (rules !== this.game.rules) this.seats = seats;
      this.load(start, moves, rules, loaded);
      this.previous = null;
      return;
    }
    this.change(() => {
      this.game.cutTo(target);
      this.backTo(target);
      if (this.watching) this.paused = true;
    });
  }
  goTo(n) {
    this.change(() => {
      this.game.goTo(n);
      if (this.game.reviewing) this.paused = true;
    });
  }
  pause() {
    this.change(() => {
      this.paused = true;
    });
  }
  // The engines go on from the position looked at.
  resume() {
    this.change(() => {
      if (this.game.reviewing) this.backTo(this.game.at);
      this.game.cutTo(this.game.at);
      this.paused = false;
    });
  }

  change(what) {
    what();  // may throw, before anything has changed
    this.thinking?.abort();
    this.thinking = null;
    this.runClock();
    if (!this.over && !this.humanToAct && !this.held) this.think();
    this.onChange();
  }

  // The clocks stand until the first move has been made, while the engines are held, while somebody looks back, and when
  // the game is over.
  runClock() {
    const {game} = this;
    const stands = this.finished || game.reviewing || this.held || game.moves.length === this.clockFrom;
    this.clock?.run(stands ? null : this.toAct);
  }
  // To be called now and then: whether somebody's time is up.
  checkTime() {
    const {clock} = this;
    if (clock === null || clock.running === null || clock.leftOf(clock.running) > 0) return;
    const late = clock.running;
    this.change(() => {
      clock.run(null);
      this.late = late;
    });
  }

  // What the player may take of the clock: exact play an eighth of what is left, so that it lasts for the game.
  withinClock(seat, player) {
    if (!this.clock || !seat.exactSeconds) return seat;
    return {...seat, exactSeconds: Math.min(seat.exactSeconds, this.clock.leftOf(player) / 8000)};
  }

  async think() {
    const thinking = this.thinking = new AbortController();
    const {position, player} = this.game.state;
    const {rules} = this.game;
    const start = performance.now();
    try {
      const seat = this.withinClock(this.players.playerOf(this.seats[player], rules), player);
      const {move} = await this.ask({position, rules, seat}, {signal: thinking.signal});
      const rest = (this.watching ? kWatchMs : kReplyMs) - (performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, rest)));
      if (this.thinking !== thinking) return;
      this.checkTime();
      if (this.late !== null) return;
      this.change(() => this.makeMove(move));
    } catch (error) {
      if (error instanceof Cancelled) return;
      this.thinking = null;
      this.change(() => {
        this.paused = true;
      });
      this.onTrouble(error.message);
    }
  }
}
