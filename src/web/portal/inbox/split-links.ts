type Part = { part: string; at: number; isLink: boolean };

/** Punctuation and brackets after a URL belong to the sentence. */
const URL_PATTERN = /(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)\]])/;

/** Splits a text into URLs and other parts; joined, the parts are the text again. */
export function splitLinks(text: string): Part[] {
  let at = 0;
  return text
    .split(URL_PATTERN)
    .map((part, index) => {
      const entry = { part, at, isLink: index % 2 === 1 };
      at += part.length;
      return entry;
    })
    .filter(({ part }) => part !== '');
}
