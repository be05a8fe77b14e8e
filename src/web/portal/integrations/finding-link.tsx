import { ExternalLink } from 'lucide-react';
import Link from 'next/link';
import type { Finding } from '#contract/integrations.ts';
import { Button } from '#web/ui/button.tsx';

/** Where a finding is put right: a page of ours, or one of the provider's beside it. */
export function FindingLink({ label, url }: NonNullable<Finding['link']>) {
  return (
    <Button asChild variant="link" size="sm">
      {url.startsWith('/') ? (
        <Link href={url}>{label}</Link>
      ) : (
        <a href={url} target="_blank" rel="noreferrer">
          {label}
          <ExternalLink aria-hidden />
        </a>
      )}
    </Button>
  );
}
