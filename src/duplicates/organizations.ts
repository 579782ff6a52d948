import type { Organization } from '../contract/organizations.ts';
import type { Received } from '../contract/received.ts';
import { comparisonForms } from '../records/match.ts';
import { publicMailHosts } from '../values/domain.ts';
import { readTexts } from '../values/field-values.ts';
import { combineScores, type PairRules } from './find-pairs.ts';
import { foldCompanyName, isTypingError, listTypingKeys } from './name-similarity.ts';

/** The parts of an organization that are compared. */
export interface ComparedOrganization {
  /** Folded, without spaces and legal form. */
  readonly name: string;
  /** Hosts without `www.` */
  readonly domains: readonly string[];
}

/** Returns the parts of an organization that are compared. */
export function toComparedOrganization({ name, domains }: Received<Organization>): ComparedOrganization {
  const hosts = readTexts(domains).map(comparisonForms.domain);
  return { name: foldCompanyName(name ?? ''), domains: hosts.filter((host) => !publicMailHosts.has(host)) };
}

/** If more organizations have subdomains of one domain, it belongs to a hosting service. */
const maxTenants = 10;

/**
 * Returns the rules for comparing organizations. All organizations together decide whether two domains belong together.
 */
export function createOrganizationRules(
  organizations: readonly ComparedOrganization[],
): PairRules<ComparedOrganization> {
  const tenants = new Map<string, number>();
  for (const { domains } of organizations)
    for (const site of new Set(domains.map(getSite))) tenants.set(site, (tenants.get(site) ?? 0) + 1);
  const isHosting = (site: string) => (tenants.get(site) ?? 0) > maxTenants;
  return {
    listKeys: ({ name, domains }) => [
      ...domains.map((domain) => `domain ${isHosting(getSite(domain)) ? domain : getSite(domain)}`),
      ...(name === '' ? [] : [name, ...listTypingKeys(name)].map((key) => `name ${key}`)),
    ],
    compare(left, right) {
      const reasons: string[] = [];
      const scores: number[] = [];
      const domainScores = left.domains.flatMap((domain) =>
        right.domains.map((another) => scoreDomains(domain, another, isHosting)),
      );
      const domainScore = Math.max(0, ...domainScores);
      if (domainScore > 0) {
        reasons.push('same domain');
        scores.push(domainScore);
      }
      if (left.name !== '' && left.name === right.name) {
        reasons.push('same name');
        scores.push(85);
      } else if (isTypingError(left.name, right.name)) {
        reasons.push('similar name');
        scores.push(60);
      }
      return reasons.length > 0 ? { score: combineScores(scores), reasons } : undefined;
    },
  };
}

/** Scores two domains: the same, a subdomain of the other, or two subdomains of one domain. */
function scoreDomains(left: string, right: string, isHosting: (site: string) => boolean): number {
  if (left === right) return 95;
  if (getSite(left) !== getSite(right) || isHosting(getSite(left))) return 0;
  return left.endsWith(`.${right}`) || right.endsWith(`.${left}`) ? 80 : 60;
}

/** Second-level names under which countries register domains, as in `co.kr`. */
const secondLevels = new Set('ac co com edu go gob gov gr lg ltd ne net nom or org pe plc re'.split(' '));

/** Returns the domain that someone has registered: `hanbit.co.kr` for `mail.hanbit.co.kr`. */
function getSite(host: string): string {
  const labels = host.split('.');
  const isCountry = labels.at(-1)?.length === 2 && secondLevels.has(labels.at(-2) ?? '');
  return labels.slice(isCountry ? -3 : -2).join('.');
}
