import { ApiError } from '../../contract/errors.ts'
import { GRAPH_VERSIONS } from '../../contract/graph-versions.ts'
import { endOfGraphVersion, graphVersionEnd } from '../../engines/official/graph-versions.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Db } from '../../kernel/db.ts'
import type { CallEngine } from '../engine-call.ts'
import type { InstanceSubject, RequireAccess } from '../handler.ts'
import type { Instances } from '../instances/index.ts'
import type { OfficialSettingsPatch, OfficialSettingsView } from './contract.ts'

interface GraphVersionDeps {
  readonly db: Db
  readonly clock: Pick<Clock, 'now'>
  readonly callEngine: CallEngine
  readonly instances: Pick<Instances, 'engineFor'>
  /** The version from the service's settings. */
  readonly defaultVersion: string
}

export interface GraphVersions {
  read(instance: InstanceSubject): OfficialSettingsView
  /** @throws ApiError validation_error, not_ready, invalid_state, not_found, and Meta's errors. */
  update(
    instance: InstanceSubject,
    patch: OfficialSettingsPatch,
    requireAccess: RequireAccess,
  ): Promise<OfficialSettingsView>
}

/** Which version of Meta's API each official number uses. */
export function createGraphVersions(deps: GraphVersionDeps): GraphVersions {
  const { db, clock, callEngine, instances, defaultVersion } = deps

  function read(instance: InstanceSubject): OfficialSettingsView {
    const own = instances.engineFor(instance).apiVersion?.of(instance.id) ?? null
    const used = own ?? defaultVersion
    return {
      graph_version: own,
      default_graph_version: defaultVersion,
      ends_on: endOfGraphVersion(used),
      ends_soon: graphVersionEnd(used, clock.now()) !== null,
      graph_versions: GRAPH_VERSIONS.filter(isOffered).map((version) => ({
        version,
        ends_on: endOfGraphVersion(version),
      })),
    }
  }

  const isOffered = (version: string) => graphVersionEnd(version, clock.now())?.hasEnded !== true

  async function update(
    instance: InstanceSubject,
    { graph_version: version }: OfficialSettingsPatch,
    requireAccess: RequireAccess,
  ) {
    const control = instances.engineFor(instance).apiVersion
    if (version === undefined || (version === null && control === undefined)) return read(instance)
    if (version !== null && !isOffered(version)) throw ended(version)
    if (control === undefined) throw sandboxHasNoVersion()
    if (version !== null) await callEngine(instance, () => control.check(instance, version))
    await db.commit(async (tx) => {
      // Checked again, because Meta's answer takes a while.
      await requireAccess(tx)
      await control.set(tx, instance.id, version)
    })
    return read(instance)
  }

  return { read, update }
}

function ended(version: string): ApiError {
  const date = endOfGraphVersion(version) ?? ''
  return new ApiError(
    'validation_error',
    `Meta ended version ${version} on ${date}. Choose one of graph_versions. Nothing was changed.`,
  ).because('graph_version_ended', { version, date })
}

const sandboxHasNoVersion = () =>
  new ApiError(
    'invalid_state',
    'A sandbox instance makes no calls to Meta. Set the version of a live instance.',
  ).because('sandbox_no_version')
