import { existsSync } from 'node:fs';
import path from 'node:path';

/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
  turbopack: { root: import.meta.dirname },
  // `npm run check` type-checks the whole project; a second pass in the build would only cost time.
  typescript: { ignoreBuildErrors: true },
  // No page has pictures to be made smaller, so nobody can have any made.
  images: { unoptimized: true },
  experimental: {
    optimizePackageImports: ['radix-ui'],
    // A cache serves the builds that follow; filling it would cost the first one ten seconds.
    turbopackFileSystemCacheForBuild: existsSync(path.join(import.meta.dirname, '.next/BUILD_ID')),
  },
  // A page of the docs as a text, at the page's own address.
  rewrites: async () => ({
    beforeFiles: [{ source: '/:path(docs|docs/.+).md', destination: '/docs/raw/:path' }],
    afterFiles: [],
    fallback: [],
  }),
  serverExternalPackages: [
    '@node-rs/argon2',
    '@prisma/adapter-pg',
    '@prisma/client',
    'graphile-worker',
    'nodemailer',
    'pg',
    'pino',
    'stripe',
    // Bundled, it would be a third of each of twenty routes.
    'undici',
  ],
};
