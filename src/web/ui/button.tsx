import { cva, type VariantProps } from 'class-variance-authority';
import { LoaderCircle, type LucideIcon, Plus } from 'lucide-react';
import { Slot } from 'radix-ui';
import type { ComponentProps } from 'react';
import { cn } from './cn.ts';

export const buttonStyle = cva(
  'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap transition-colors select-none disabled:pointer-events-none disabled:opacity-55 aria-disabled:pointer-events-none aria-disabled:opacity-55 [&_svg]:size-4 [&_svg]:shrink-0',
  {
    variants: {
      variant: {
        primary: 'bg-accent text-on-accent hover:bg-accent-hover',
        secondary: 'border border-line bg-raised text-ink shadow-card hover:bg-hover',
        ghost: 'text-ink hover:bg-hover',
        danger: 'bg-danger text-on-danger hover:bg-danger-hover',
        link: 'h-auto! min-h-6 px-0! text-accent-ink underline decoration-accent/40 underline-offset-3 hover:decoration-current',
      },
      size: {
        sm: 'h-7 px-2.5 text-[13px] max-md:h-9',
        md: 'h-8.5 px-3 text-sm max-md:h-10',
        lg: 'h-11 px-4 text-[15px]',
      },
    },
    defaultVariants: { variant: 'secondary', size: 'md' },
  },
);

export type ButtonProps = ComponentProps<'button'> &
  VariantProps<typeof buttonStyle> & {
    /** Renders the only child (for example a link) with the button's style. */
    asChild?: boolean;
    /** Shows that the action is running and ignores further presses; the label stays, so the width does not change. */
    pending?: boolean;
  };

export function Button({ variant, size, asChild, pending = false, className, children, ...rest }: ButtonProps) {
  const style = cn(buttonStyle({ variant, size }), className);
  if (asChild)
    return (
      <Slot.Root className={style} {...rest}>
        {children}
      </Slot.Root>
    );
  return (
    <button
      type="button"
      className={style}
      {...rest}
      // Not `disabled`, which would take the focus away from keyboard users.
      {...(pending && { 'aria-disabled': true, 'aria-busy': true, onClick: (event) => event.preventDefault() })}
    >
      {pending && <LoaderCircle aria-hidden className="animate-spin" />}
      {children}
    </button>
  );
}

type IconButtonProps = Omit<ButtonProps, 'children' | 'asChild'> & {
  icon: LucideIcon;
  /** The accessible name and the tooltip. */
  label: string;
};

export function IconButton({ icon: Icon, label, variant = 'ghost', className, ...rest }: IconButtonProps) {
  return (
    <Button
      aria-label={label}
      title={label}
      variant={variant}
      className={cn('aspect-square px-0!', className)}
      {...rest}
    >
      <Icon aria-hidden />
    </Button>
  );
}

/** The main action of a list page: creates an item. */
export function AddButton({ onClick, children }: { onClick: () => void; children: string }) {
  return (
    <Button variant="primary" onClick={onClick}>
      <Plus aria-hidden />
      {children}
    </Button>
  );
}
