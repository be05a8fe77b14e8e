import type { Patient } from '#generated/prisma/client.ts';

/** For queries: patients who are neither archived nor about to be. */
export const IN_CARE = { archivedAt: null, careEndingAt: null } as const;

/** The columns by which to ask `isInCare`. */
export const CARE_COLUMNS = { archivedAt: true, careEndingAt: true } as const;

/** Neither archived nor about to be. Nobody else signs in, is invited or takes a password. */
export const isInCare = ({ archivedAt, careEndingAt }: Pick<Patient, 'archivedAt' | 'careEndingAt'>): boolean =>
  archivedAt === null && careEndingAt === null;
