import { answerAuth } from '#server/http/auth.ts';

export { answerAuth as GET, answerAuth as POST };
