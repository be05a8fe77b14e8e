import { createHash, randomUUID } from 'node:crypto';
import { errorReply, type Reply } from './replies.ts';

/** Endpoints that send a message, which may require a proof of work. */
const SENDING = new Set([
  'POST /passwordless/sign_in',
  'POST /credentials/sign_up',
  'POST /credentials/resend',
  'POST /credentials/reset',
  'POST /user/proof/code',
  'PATCH /user/email',
  'PATCH /user/phone',
]);

/** The service's side of the proof of work: challenges are valid once and contain their difficulty. */
export function createFakeWork() {
  const openChallenges = new Set<string>();
  const isSolved = ({ challenge, nonce }: { challenge: string; nonce: string }): boolean => {
    const bits = [...createHash('sha256').update(`${challenge}:${nonce}`).digest()]
      .map((byte) => byte.toString(2).padStart(8, '0'))
      .join('');
    return openChallenges.delete(challenge) && bits.indexOf('1') >= Number(challenge.split('.')[1]);
  };
  return {
    /** Returns an error response while the request needs a solution, or null. */
    rejection(route: string, body: object, difficulty: number): Reply | null {
      const solution = (body as { proof_of_work?: { challenge: string; nonce: string } }).proof_of_work;
      if (difficulty === 0 || !SENDING.has(route) || (solution && isSolved(solution))) return null;
      const challenge = `${randomUUID()}.${difficulty}`;
      openChallenges.add(challenge);
      const proof_of_work = { challenge, difficulty, algorithm: 'sha-256' };
      return errorReply(428, 'proof_of_work_required', {}, { proof_of_work });
    },
  };
}
