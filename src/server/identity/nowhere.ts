/** A tenant that cannot be. Looking there for somebody unknown costs the same as looking in the right place. */
export const NOWHERE = '00000000-0000-0000-0000-000000000000';
