// The package in Node: the same, with records in files. See index.d.ts.
export * from "./index.js";
import type { Store } from "./index.js";

/**
 * Records as files in a folder of their own, as C++ devices have them, locked by flock(2) while it is open. Needs
 * flock(1), which every Linux has.
 */
export class FileStore implements Store {
  constructor(folder: string);
  acquire(): Promise<() => Promise<void>>;
  load(): Promise<Map<string, Uint8Array>>;
  save(changes: Map<string, Uint8Array>): Promise<void>;
  /** Linux's machine-id(5). */
  machine(): Promise<string>;
}
