/** What a command ends with. */
export const EXIT = { done: 0, failed: 1, misused: 2, refused: 3, expired: 4 } as const;

/** An end that is told in a sentence, and with which exit code. Anything else that is thrown is a fault of this program. */
export class Refused extends Error {
  readonly exit: number;
  constructor(message: string, exit: number = EXIT.failed) {
    super(message);
    this.exit = exit;
  }
}
