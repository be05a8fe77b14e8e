import { existsSync } from 'node:fs';
import path from 'node:path';

/** @type {import('next').NextConfig} */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  devIndicators: false,
  turbopack: { root: import.meta.dirname },
  // `npm run check` type-checks the whole project, so the build does not.
  typescript: { ignoreBuildErrors: true },
  // No page needs resized images, so the image endpoint is disabled.
  images: { unoptimized: true },
  experimental: {
    optimizePackageImports: ['radix-ui'],
    // The cache speeds up later builds; writing it would add ten seconds to the first one.
    turbopackFileSystemCacheForBuild: existsSync(path.join(import.meta.dirname, '.next/BUILD_ID')),
  },
  // Docs pages as Markdown, at the page's URL with the extension .md.
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
    // Bundled, it would be a third of the size of each page's server bundle.
    'undici',
  ],
};
