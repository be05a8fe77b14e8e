import type { Account } from './state.ts';

/** The plan that may use the API; those below it may not. */
export const API_PLAN = 'Powerhouse';
export const PLANS = ['Emerging', 'Growing', API_PLAN] as const;

export const hasApi = ({ plan }: Account): boolean => plan === API_PLAN;
