import pino, { type DestinationStream, type Logger } from 'pino';

export type { Logger };

/** Lines of JSON on standard error, which leaves standard output to the launcher. Secrets never reach a log call. */
export const createLog = (level: string, to: DestinationStream = pino.destination({ fd: 2, sync: true })): Logger =>
  pino(
    {
      level,
      base: null,
      redact: {
        paths: ['authorization', '*.authorization', '*.password', '*.client_secret', '*.token', '*.code'],
        censor: '[redacted]',
      },
    },
    to,
  );
