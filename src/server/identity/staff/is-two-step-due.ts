import type { Role } from '#contract/settings.ts';
import type { Config } from '../../core/config.ts';

/** Whether somebody must turn two-step sign-in on before anything else: administrators in production. */
export const isTwoStepDue = (
  { environment }: Pick<Config, 'environment'>,
  { role, twoStep }: { role: Role; twoStep: boolean },
): boolean => isTwoStepRequired({ environment }, role) && !twoStep;

export const isTwoStepRequired = ({ environment }: Pick<Config, 'environment'>, role: Role): boolean =>
  environment === 'production' && role === 'admin';
