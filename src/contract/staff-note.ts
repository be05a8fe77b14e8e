/** How long a note for staff may be. */
export const MOST_OF_A_NOTE = 2000;
