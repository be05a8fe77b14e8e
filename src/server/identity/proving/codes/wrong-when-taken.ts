import { Prisma } from '#server/core/db.ts';
import { wrong } from './try-code.ts';

/** Somebody else took the address since the code was sent: no patient is told so (api.md §3). */
export function wrongWhenTaken(error: unknown): never {
  throw error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002' ? wrong() : error;
}
