// Which test files of client-go are compared with ours, and for each of the others in the same folders why not. Called
// by scripts/check-conformance.ts; a file that is in neither list fails `--refresh`.

export const MODULE = 'k8s.io/client-go';

/** Folders whose test files must all be listed below. */
export const FOLDERS = ['tools/cache', 'tools/leaderelection', 'util/consistencydetector', 'util/workqueue'] as const;

/** In the order of the document. */
export const COMPARED: readonly { readonly title: string; readonly files: readonly string[] }[] = [
  { title: 'Reflector', files: ['tools/cache/reflector_test.go'] },
  { title: 'Watch-list', files: ['tools/cache/reflector_watchlist_test.go'] },
  {
    title: 'Data-consistency detector',
    files: [
      'tools/cache/reflector_data_consistency_detector_test.go',
      'util/consistencydetector/data_consistency_detector_test.go',
    ],
  },
  {
    title: 'FIFOs',
    files: ['tools/cache/fifo_test.go', 'tools/cache/delta_fifo_test.go', 'tools/cache/the_real_fifo_test.go'],
  },
  { title: 'Shared informer', files: ['tools/cache/shared_informer_test.go'] },
  { title: 'Controller of the informer', files: ['tools/cache/controller_test.go'] },
  {
    title: 'Store, index and listers',
    files: [
      'tools/cache/thread_safe_store_test.go',
      'tools/cache/store_test.go',
      'tools/cache/index_test.go',
      'tools/cache/listers_test.go',
    ],
  },
  {
    title: 'Work queue',
    files: [
      'util/workqueue/default_rate_limiters_test.go',
      'util/workqueue/delaying_queue_test.go',
      'util/workqueue/metrics_test.go',
      'util/workqueue/parallelizer_test.go',
      'util/workqueue/queue_test.go',
      'util/workqueue/rate_limiting_queue_test.go',
    ],
  },
  {
    title: 'Leader election',
    files: [
      'tools/leaderelection/healthzadaptor_test.go',
      'tools/leaderelection/leaderelection_test.go',
      'tools/leaderelection/leasecandidate_test.go',
      'tools/leaderelection/resourcelock/leaselock_test.go',
    ],
  },
];

/** Tests whose rows say more than their name: each row is compared by itself, and the test's own name is not. */
export const BY_ROWS: ReadonlySet<string> = new Set([
  'TestReflectorListAndWatch',
  'TestRetryInternalError',
  'TestNewReflectorWithCustomBackoff',
  'TestWatchTimeout',
  'TestIsUnsupportedTableObject',
  'TestNewReflectorWithDisablementWatchList',
  'TestInitialEventsEndBookmarkTicker',
  'TestWatchListResourceVersion',
  'TestWatchList',
  'TestDataConsistencyChecker',
  'TestDeltaFIFOW_ReplaceMakesDeletionsForObjectsOnlyInQueue',
  'TestRealFIFOW_ReplaceMakesDeletionsForObjectsOnlyInQueue',
  'TestRealFIFO_ReplaceAtomic',
  'TestShutdown',
  'TestEventPanics',
  'TestThreadSafeStoreRV',
  'TestListAll',
]);

export const NOT_COMPARED: Readonly<Record<string, string>> = {
  'tools/cache/cache_test.go': 'holds no test',
  'tools/cache/controller_bench_test.go': 'benchmarks only; ours are in bench/',
  'tools/cache/event_handler_name_test.go': "names handlers by Go's reflection; ours give their name themselves",
  'tools/cache/expiration_cache_test.go': 'a store whose entries expire; we have none',
  'tools/cache/heap_test.go': 'a general heap; ours is private to the work queue and tested through its delayed adds',
  'tools/cache/identity_test.go': 'unique names of informers for metrics; ours carry no such registry',
  'tools/cache/listwatch_test.go': 'adapts Go clients that cannot stream lists; ours is one transport',
  'tools/cache/main_test.go': "only Go's goroutine leak check",
  'tools/cache/mutation_detector_test.go':
    'finds handlers that write into cached objects at run time; here the types are read-only and nothing checks at run time',
  'tools/cache/object-names_test.go': 'namespace and name as a Go struct; ours is the key, tested with the store',
  'tools/cache/processor_listener_test.go': 'a benchmark only',
  'tools/cache/retry_with_deadline_test.go':
    'limits how long internal errors are retried before a relist; ours are retried for ever and never relist',
  'tools/cache/shared_informer_bench_test.go': 'benchmarks only; ours are in bench/',
  'tools/cache/synctrack/lazy_test.go': 'a lazily computed value shared by threads',
  'tools/cache/synctrack/synctrack_test.go':
    'counts handled objects per handler under locks; the property is tested with our handlers',
  'tools/cache/testing/fake_controller_source_test.go': "tests of client-go's own fake server",
  'tools/cache/undelta_store_test.go': 'a store that pushes its whole content on each change; we have none',
  'tools/cache/util_test.go': 'holds no test',
  'tools/cache/wait_test.go': 'logs while several caches are awaited; ours are promises',
};
