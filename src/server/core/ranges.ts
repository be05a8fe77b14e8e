import { isIP } from 'node:net';
import { z } from 'zod';

/** Parses `10.0.0.0/8, fd00::/8`. */
export const ranges = z.string().transform((value, ctx) =>
  value
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
    .map((one) => {
      const [network = '', length = '', ...rest] = one.split('/');
      const version = isIP(network);
      const bits = /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
      if (version !== 0 && rest.length === 0 && bits <= (version === 6 ? 128 : 32))
        return { network, bits, family: version === 6 ? ('ipv6' as const) : ('ipv4' as const) };
      ctx.addIssue({ code: 'custom', message: `${one} is no range of addresses such as 10.0.0.0/8 or fd00::/8` });
      return z.NEVER;
    }),
);
