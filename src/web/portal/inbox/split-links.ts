type Part = { part: string; at: number; isLink: boolean };

/** Full stops and brackets after an address belong to the sentence. */
const LINK = /(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])/;

/** A text in pieces, its web addresses apart; joined they are the text again. */
export function splitLinks(text: string): Part[] {
  let at = 0;
  return text
    .split(LINK)
    .map((part, index) => {
      const piece = { part, at, isLink: index % 2 === 1 };
      at += part.length;
      return piece;
    })
    .filter(({ part }) => part !== '');
}
