import { Prisma } from '#server/core/db.ts';
import { refuse } from '#server/core/errors.ts';

/** What a verb's write failed on: one of the tenant's unique values becomes its 409, anything else stays a surprise. */
export function refuseTaken(error: unknown): never {
  if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') {
    const constraint = JSON.stringify(error.meta);
    if (constraint.includes('external_id'))
      throw refuse('external_id_taken', 'Another patient has this external id, perhaps an archived one.', {
        source: { pointer: '/external_id' },
      });
    if (constraint.includes('email'))
      throw refuse('email_taken', 'Another patient has this email address, perhaps an archived one.', {
        source: { pointer: '/email' },
      });
  }
  throw error;
}
