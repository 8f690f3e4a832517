// A game between two seats: asks the engines for their moves when it is their turn, and takes the people's.

import {Game} from './game.js';
import {Cancelled} from './remote.js';
import {isHuman, playerOf} from './seats.js';

// An engine's move takes at least so long, so that one can follow it.
const kReplyMs = 350, kWatchMs = 900;

export class Match {
  // onChange() after everything that can be seen; onTrouble(message) when an engine fails.
  constructor({rules, player, seats, onChange, onTrouble}) {
    this.game = new Game(rules);
    this.player = player;
    this.seats = seats;
    this.onChange = onChange;
    this.onTrouble = onTrouble;
    this.paused = false;  // the engines wait: for someone who looks back, or has just put up a position
    this.thinking = null;  // the AbortController of the engine's move
    this.previous = null;  // the game that a new one or a pasted one took the place of
    this.firstMoveMs = null;  // how long the page's first engine move took, without the pause for the eyes
  }

  get toAct() {
    return this.game.state.player;
  }
  get humanToAct() {
    return !this.game.state.over && isHuman(this.seats[this.toAct]);
  }
  get watching() {
    return !this.seats.some(isHuman);
  }
  // An engine would move if it were not held back.
  get held() {
    return !this.game.state.over && !this.humanToAct && (this.paused || this.game.reviewing);
  }

  newGame() {
    this.change(() => {
      this.replaceGame('', '');
      this.paused = false;
    });
  }
  // Throws EngineError, and changes nothing, if the texts are no game.
  load(start, moves) {
    this.change(() => {
      this.replaceGame(start, moves);
      this.paused = true;
    });
  }
  replaceGame(start, moves) {
    const {game} = this;
    const before = {start: game.start, moves: game.moves.join(' ')};
    game.load(start, moves);
    if (before.moves !== '') this.previous = before;
  }
  setSeats(seats) {
    this.change(() => {
      this.seats = seats;
    });
  }
  // A person's move; ignored when it is not a person's turn, or not legal.
  play(move) {
    if (!this.humanToAct || !this.game.isLegal(move)) return false;
    this.change(() => {
      this.game.play(move);
      this.paused = false;
    });
    return true;
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
  // Before the first move, the game that this one took the place of comes back.
  get canUndo() {
    return this.undoTarget !== null || (this.previous !== null && this.game.moves.length === 0);
  }
  undo() {
    const target = this.undoTarget;
    if (!this.canUndo) return;
    if (target === null) {
      const {start, moves} = this.previous;
      this.load(start, moves);
      this.previous = null;
      return;
    }
    this.change(() => {
      this.game.cutTo(target);
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
      this.game.cutTo(this.game.at);
      this.paused = false;
    });
  }

  change(what) {
    what();  // may throw, before anything has changed
    this.thinking?.abort();
    this.thinking = null;
    if (!this.game.state.over && !this.humanToAct && !this.held) this.think();
    this.onChange();
  }

  async think() {
    const thinking = this.thinking = new AbortController();
    const {position, player} = this.game.state;
    const start = performance.now();
    try {
      const request = {position, seat: playerOf(this.seats[player])};
      const {move} = await this.player.ask('move', request, {signal: thinking.signal});
      this.firstMoveMs ??= performance.now() - start;
      const rest = (this.watching ? kWatchMs : kReplyMs) - (performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, rest)));
      if (this.thinking !== thinking) return;
      this.change(() => this.game.play(move));
    } catch (error) {
      if (error instanceof Cancelled) return;
      this.paused = true;
      this.thinking = null;
      this.onTrouble(error.message);
      this.onChange();
    }
  }
}
