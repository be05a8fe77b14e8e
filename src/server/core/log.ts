import pino, { type DestinationStream, type Logger } from 'pino';

export type { Logger };

/** Writes JSON lines to standard error; standard output belongs to the launcher. Secrets never reach a log call. */
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
