import { useMutation } from '@tanstack/react-query';
import { ExternalLink, Lightbulb, TriangleAlert, Wrench } from 'lucide-react';
import type { Finding } from '#contract/integrations.ts';
import { REPAIRABLE_FINDINGS } from '#contract/repairable-findings.ts';
import { firstErrorMessage } from '#web/ui/api-errors.ts';
import { Button } from '#web/ui/button.tsx';
import { cn } from '#web/ui/cn.ts';
import { Link } from '#web/ui/link.tsx';
import { toast } from '#web/ui/toast.ts';
import { useInvalidate, useTRPC } from '../../trpc-client.tsx';

type FindingsProps = {
  findings: Finding[];
  /** For a stand-in of the provider, where a button fixes the finding. */
  repairable?: boolean;
};

/** Findings with instructions to fix them, followed by advice. */
export function Findings({ findings, repairable = false }: FindingsProps) {
  const sorted = [...findings.filter(({ advice }) => !advice), ...findings.filter(({ advice }) => advice)];
  return (
    <ul aria-label="What to fix" className="grid gap-2">
      {sorted.map((finding) => {
        const { code, message, fix, advice, link } = finding;
        const hasRepair = repairable && REPAIRABLE_FINDINGS.includes(code);
        const Icon = advice ? Lightbulb : TriangleAlert;
        return (
          <li
            key={`${code} ${message}`}
            className={cn(
              'flex items-start gap-2 rounded-md px-3 py-2',
              advice ? 'bg-sunken' : 'bg-warn-soft text-warn-ink',
            )}
          >
            <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
            <div className="min-w-0 wrap-anywhere">
              <p>{message}</p>
              {fix && <p className="mt-0.5 text-[13px]">{fix}</p>}
              {(link || hasRepair) && (
                <div className="mt-1.5 flex flex-wrap items-center gap-x-4 gap-y-2">
                  {hasRepair && <RepairFinding finding={finding} />}
                  {link && <FindingLink {...link} />}
                </div>
              )}
            </div>
          </li>
        );
      })}
    </ul>
  );
}

/** Link to where a finding is fixed: a page of the portal, or the provider's in a new tab. */
function FindingLink({ label, url }: NonNullable<Finding['link']>) {
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

/** Sandbox only: fixes a finding at the stand-in for Acuity. */
function RepairFinding({ finding }: { finding: Finding }) {
  const trpc = useTRPC();
  const refresh = useInvalidate('integrations');
  const repair = useMutation(
    trpc.integrations.repairAcuity.mutationOptions({
      onSuccess: () => toast.success('It is fixed in the sandbox'),
      onError: (error) => toast.error(firstErrorMessage(error)),
      onSettled: refresh,
    }),
  );
  return (
    <Button
      size="sm"
      pending={repair.isPending}
      aria-label={`Repair: ${finding.message}`}
      onClick={() => repair.mutate({ code: finding.code, object_id: finding.object?.id ?? null })}
    >
      {!repair.isPending && <Wrench aria-hidden />}
      Repair
    </Button>
  );
}
