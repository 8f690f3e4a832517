/** Positions, moves and games are texts: "..../2F.A/E9../.8B3 -", "b3" or "C", "0 a1 7 c2". */
export type Move = string;
/** For the player to act: a win, a draw, a loss. */
export type Value = 1 | 0 | -1;
/** 'uniform' knows nothing and is there under all rules; the others are asked under their own. */
export type Network = 'zero' | 'distilled' | 'small' | 'squares' | 'uniform' | (string & {});
/** 'squares': the nine 2x2 squares win as well. */
export type Rules = 'lines' | 'squares' | (string & {});

export declare class EngineError extends Error {}

export interface State {
  rules: Rules;
  start: string;
  position: string;
  moves: Move[];
  phase: 'place' | 'give';
  /** Who is to act: 0 gave first. */
  player: 0 | 1;
  /** The piece, 0 to 15. */
  hand: number | null;
  /** Pieces by square, a1, b1, .. d4; null is empty. */
  board: (number | null)[];
  /** Pieces. */
  available: number[];
  /** Squares, 0 (a1) to 15 (d4), or pieces. */
  legal: number[];
  over: boolean;
  winner: 0 | 1 | null;
  lines: {squares: number[]; shared: string[]}[];
}

export interface Opinion {
  win: number;
  draw: number;
  loss: number;
  /** Probability of each move by square or piece, 16 numbers. */
  prior: number[];
}

export interface Thought {
  best: Move;
  value: number;
  proven: Value | null;
  network: Opinion;
  moves: {
    move: Move;
    index: number;
    visits: number;
    prior: number;
    value: number;
    proven: Value | null;
    /** Proven bounds. */
    low: Value;
    high: Value;
  }[];
  line: Move[];
  simulations: number;
  seconds: number;
}

export interface Choice {
  move: Move;
  by: 'exact' | 'search' | 'network';
  value: number;
  proven: Value | null;
  seconds: number;
  /** False where the time ended what `sharp` looks for; asking again goes on. */
  complete: boolean;
}

export interface Hint extends Choice {
  /** Moves that keep the exact value, the chosen one included; 0 if the value is not known. */
  alike: number;
}

/** A level is played by choose() if it has a network, else by simple(). */
export interface Level {
  name: string;
  network: Network | '';
  lookahead: number;
  careless: number;
  simulations: number;
  exactSquares: number;
  sharp: boolean;
}

export interface Solution {
  /** By square or piece; null for illegal moves and for those not solved in time. */
  values: (Value | null)[];
  value: Value | null;
  complete: boolean;
  nodes: number;
  seconds: number;
}

/** Of moves that win or lose: the placements of both players from now on, when the winner hurries and the loser delays. */
export interface Distances {
  /** By square or piece; null for illegal and drawn moves, and for those not found in time. */
  placements: (number | null)[];
  best: number | null;
  complete: boolean;
}

/** All methods but create() block until they have the answer: call the slow ones in a worker. */
export declare class Engine {
  static create(module: WebAssembly.Module): Promise<Engine>;
  /** The bytes of a light file, under a name for later questions. */
  addNetwork(name: string, bytes: Uint8Array): {name: string; rules: Rules; [key: string]: unknown};
  /** An opening book, for the rules that it says. */
  setBook(bytes: Uint8Array): unknown;
  /** The state after these moves from this position ("": the empty board). */
  state(start?: string, moves?: string, rules?: Rules): State;
  /** The levels that people choose among, from the weakest to the strongest. */
  levels(rules?: Rules): Level[];
  /** A search of so many simulations; 0: the raw network. */
  think(network: Network, position: string, simulations: number, rules?: Rules): Thought;
  /**
   * The move by the rule that every player of the project uses. `milliseconds`: for exact values; 0: no limit. `sharp`:
   * exact play wins soonest, loses last, and sets traps.
   */
  choose(network: Network, position: string, simulations: number, exactSquares: number, milliseconds: number,
         rules?: Rules, sharp?: boolean): Choice;
  /** The same, but among moves of equal exact value the network decides. */
  hint(network: Network, position: string, simulations: number, exactSquares: number, milliseconds: number,
       rules?: Rules): Hint;
  /** A player without a network: `lookahead` plies (0: the one-ply rule), `careless` percent of moves at random. */
  simple(position: string, lookahead: number, careless: number, seed: number,
         rules?: Rules): {move: Move; by: 'rule' | 'chance'};
  /** Exact values of all moves that are found in time. */
  solve(position: string, milliseconds: number, rules?: Rules): Solution;
  /** In how many placements moves end, after solve() of the position. */
  distances(position: string, milliseconds: number, rules?: Rules): Distances;
  /** The input `counts` of an exported pairs network: of an ONNX file, [1, counts.length]. */
  counts(position: string, rules?: Rules): Float32Array;
}

/** The networks that come with the package. */
export declare const networks: readonly Network[];

/** An engine with these networks (all, by default) and the opening books. */
export declare function load(options?: {networks?: Network[]; book?: boolean}): Promise<Engine>;
