/** A failure whose message is all that the person at the keyboard needs: shown without a stack. */
export class Sentence extends Error {}
