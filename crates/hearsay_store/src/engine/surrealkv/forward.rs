//! Macros that forward the methods of [`Transactable`](surrealdb_kvs::api::Transactable) and of transaction builders to
//! an inner value.

/// Forwards the methods that read or manage a transaction to an inner transaction.
macro_rules! forward_reads {
    ($inner:ident) => {
        fn kind(&self) -> &'static str {
            self.$inner.kind()
        }
        fn closed(&self) -> bool {
            self.$inner.closed()
        }
        fn writeable(&self) -> bool {
            self.$inner.writeable()
        }
        fn cancel(&self) -> BoxFut<'_, Result<()>> {
            self.$inner.cancel()
        }
        fn exists<'a>(&'a self, key: Key<'a>, version: Option<u64>) -> BoxFut<'a, Result<bool>> {
            self.$inner.exists(key, version)
        }
        fn get<'a>(&'a self, key: Key<'a>, version: Option<u64>) -> BoxFut<'a, Result<Option<Val>>> {
            self.$inner.get(key, version)
        }
        fn getu<'a>(&'a self, key: Key<'a>) -> BoxFut<'a, Result<Option<Val>>> {
            self.$inner.getu(key)
        }
        fn shared_locked_reads(&self) -> bool {
            self.$inner.shared_locked_reads()
        }
        fn getm<'a>(&'a self, keys: &'a [Key<'a>], version: Option<u64>) -> BoxFut<'a, Result<GetMultiResult>> {
            self.$inner.getm(keys, version)
        }
        fn getr<'a>(&'a self, range: KeyRange<'a>, version: Option<u64>) -> BoxFut<'a, Result<ScanResult>> {
            self.$inner.getr(range, version)
        }
        fn keys<'a>(
            &'a self,
            range: KeyRange<'a>,
            limit: u32,
            skip: u32,
            version: Option<u64>,
        ) -> BoxFut<'a, Result<KeysResult>> {
            self.$inner.keys(range, limit, skip, version)
        }
        fn keysr<'a>(
            &'a self,
            range: KeyRange<'a>,
            limit: u32,
            skip: u32,
            version: Option<u64>,
        ) -> BoxFut<'a, Result<KeysResult>> {
            self.$inner.keysr(range, limit, skip, version)
        }
        fn scan<'a>(
            &'a self,
            range: KeyRange<'a>,
            limit: u32,
            skip: u32,
            version: Option<u64>,
        ) -> BoxFut<'a, Result<ScanResult>> {
            self.$inner.scan(range, limit, skip, version)
        }
        fn scanr<'a>(
            &'a self,
            range: KeyRange<'a>,
            limit: u32,
            skip: u32,
            version: Option<u64>,
        ) -> BoxFut<'a, Result<ScanResult>> {
            self.$inner.scanr(range, limit, skip, version)
        }
        fn open_keys_cursor<'a>(
            &'a self,
            range: KeyRange<'a>,
            direction: Direction,
            skip: u32,
            version: Option<u64>,
        ) -> BoxFut<'a, Result<Box<dyn ScanCursorKeys + 'a>>> {
            self.$inner.open_keys_cursor(range, direction, skip, version)
        }
        fn open_vals_cursor<'a>(
            &'a self,
            range: KeyRange<'a>,
            direction: Direction,
            skip: u32,
            version: Option<u64>,
        ) -> BoxFut<'a, Result<Box<dyn ScanCursorVals + 'a>>> {
            self.$inner.open_vals_cursor(range, direction, skip, version)
        }
        fn count<'a>(&'a self, range: KeyRange<'a>, version: Option<u64>) -> BoxFut<'a, Result<usize>> {
            self.$inner.count(range, version)
        }
        fn batch_keys<'a>(
            &'a self,
            range: KeyRange<'a>,
            batch: u32,
            version: Option<u64>,
        ) -> BoxFut<'a, Result<Batch<Vec<u8>>>> {
            self.$inner.batch_keys(range, batch, version)
        }
        fn batch_keys_vals<'a>(
            &'a self,
            range: KeyRange<'a>,
            batch: u32,
            version: Option<u64>,
        ) -> BoxFut<'a, Result<Batch<(Vec<u8>, Vec<u8>)>>> {
            self.$inner.batch_keys_vals(range, batch, version)
        }
        fn new_save_point(&self) -> BoxFut<'_, Result<()>> {
            self.$inner.new_save_point()
        }
        fn release_last_save_point(&self) -> BoxFut<'_, Result<()>> {
            self.$inner.release_last_save_point()
        }
        fn rollback_to_save_point(&self) -> BoxFut<'_, Result<()>> {
            self.$inner.rollback_to_save_point()
        }
        fn timestamp(&self) -> BoxFut<'_, Result<BoxTimeStamp>> {
            self.$inner.timestamp()
        }
        fn safe_timestamp(&self) -> BoxFut<'_, Result<BoxTimeStamp>> {
            self.$inner.safe_timestamp()
        }
        fn timestamp_impl(&self) -> BoxTimeStampImpl {
            self.$inner.timestamp_impl()
        }
        fn compact<'a>(&'a self, range: Option<KeyRange<'a>>) -> BoxFut<'a, Result<()>> {
            self.$inner.compact(range)
        }
    };
}

/// Forwards the methods of a transaction builder to an inner builder. The methods that create transactions and shut
/// down are not forwarded.
macro_rules! forward_builder {
    ($($inner:ident).+) => {
        fn name(&self) -> &'static str {
            self.$($inner).+.name()
        }
        fn register_metrics(&self) -> Option<Metrics> {
            self.$($inner).+.register_metrics()
        }
        fn collect_u64_metric(&self, metric: &str) -> Option<u64> {
            self.$($inner).+.collect_u64_metric(metric)
        }
        fn wait_until_serve_ready(&self) -> BoxFut<'_, Result<()>> {
            self.$($inner).+.wait_until_serve_ready()
        }
        fn extension(&self, id: TypeId) -> Option<Arc<dyn Any + Send + Sync>> {
            self.$($inner).+.extension(id)
        }
    };
}

pub(super) use {forward_builder, forward_reads};
