import type { Role } from '#contract/settings.ts';
import type { Config } from '../../core/config.ts';

/** Returns whether the user must turn on two-step sign-in first: admins in production. */
export const isTwoStepDue = (
  { environment }: Pick<Config, 'environment'>,
  { role, twoStep }: { role: Role; twoStep: boolean },
): boolean => isTwoStepRequired({ environment }, role) && !twoStep;

export const isTwoStepRequired = ({ environment }: Pick<Config, 'environment'>, role: Role): boolean =>
  environment === 'production' && role === 'admin';
