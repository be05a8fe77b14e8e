/** A race as the API returns it. */
export type Race = { level_2_display: string; level_3_display: string | null };
type Given = { level_2_display: string; level_3_display?: string | null | undefined };

/**
 * Separates the two levels in the column, which was created for the second level only; no race name contains it. The
 * column keeps its type because two versions write the same rows during a rolling restart.
 */
const MARK = '\u001f';

/** Converts races to the column's format. */
export const racesToTexts = (races: Given[]): string[] =>
  races.map(({ level_2_display, level_3_display }) =>
    level_3_display ? `${level_2_display}${MARK}${level_3_display}` : level_2_display,
  );

export const racesFromTexts = (texts: string[]): Race[] =>
  texts.map((text) => {
    const at = text.indexOf(MARK);
    if (at < 0) return { level_2_display: text, level_3_display: null };
    return { level_2_display: text.slice(0, at), level_3_display: text.slice(at + 1) };
  });
