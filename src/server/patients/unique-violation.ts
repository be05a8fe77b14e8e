import { Prisma } from '#server/core/db.ts';
import { apiError } from '#server/core/errors.ts';

/** Maps a violated unique constraint to `email_taken` or `external_id_taken` (409) and rethrows any other error. */
export function rethrowUniqueViolation(error: unknown): never {
  if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') {
    const constraint = JSON.stringify(error.meta);
    if (constraint.includes('external_id'))
      throw apiError('external_id_taken', 'Another patient has this external id, perhaps an archived one.', {
        source: { pointer: '/external_id' },
      });
    if (constraint.includes('email'))
      throw apiError('email_taken', 'Another patient has this email address, perhaps an archived one.', {
        source: { pointer: '/email' },
      });
  }
  throw error;
}
