/** A seat that was heard of within so many seconds has somebody before it; */
export const HERE_WITHIN_S = 15;
/** after so many, whoever sat there is gone, and another may sit down. */
export const GONE_AFTER_S = 60;
