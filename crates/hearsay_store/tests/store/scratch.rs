use crate::worlds::*;
use std::time::Instant;
#[test]
#[ignore]
fn scratch_blocks() {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path()).store;
    let v: Vec<_> = (0..391u128).map(|n| (n.to_be_bytes(), vec![n as f32 + 0.3; 384 * 256])).collect();
    let t = Instant::now();
    wait(|done| store.put_vectors("mini", v, done)).unwrap();
    println!("put {:?}", t.elapsed());
    store.close().unwrap();
    let t = Instant::now();
    let store = open(directory.path()).store;
    println!("open {:?}", t.elapsed());
    let t = Instant::now();
    let (s, r) = std::sync::mpsc::channel();
    wait(|done| store.load_vectors("mini", move |p| s.send(p.len()).is_ok(), done)).unwrap();
    println!("load {:?} {}", t.elapsed(), r.iter().sum::<usize>());
}
#[test]
#[ignore]
fn scratch_many() {
    let directory = tempfile::tempdir().unwrap();
    let o = open(directory.path());
    let (store, mut state) = (o.store, o.state);
    let ops: Vec<_> = (0..50_000).map(small).collect();
    let t = Instant::now();
    for g in ops.chunks(64) { commit(&store, &mut state, g); }
    println!("commit {:?}", t.elapsed());
    store.close().unwrap();
    let t = Instant::now();
    let o = open(directory.path());
    println!("open {:?} {:?}", t.elapsed(), o.report);
    let store = o.store;
    for q in ["RETURN count(SELECT VALUE id FROM journal:1..257)", "RETURN count(SELECT VALUE id FROM journal:1.. LIMIT 256)", "RETURN count(SELECT * FROM journal:40000..40256)", "RETURN count(SELECT * FROM journal:1000.. LIMIT 256)", "SELECT VALUE digest FROM journal:40000", "RETURN count(SELECT VALUE id FROM journal_chunk:[50001]..)"] {
        let t = Instant::now();
        let v = store.query_blocking(q).unwrap();
        println!("{:?} {q} {}", t.elapsed(), v.to_string().len());
    }
    store.settle_blocking().unwrap();
    println!("caught up {:?}", t.elapsed());
}

#[test]
#[ignore]
fn scratch_rebuild() {
    let o = memory();
    let (store, mut state) = (o.store, o.state);
    commit(&store, &mut state, &[world(2000, 20_000)]);
    let t = Instant::now();
    store.rebuild_projections_blocking(&state, |_, _| {}).unwrap();
    println!("rebuild {:?}", t.elapsed());
    let t = Instant::now();
    store.rebuild_projections_blocking(&state, |_, _| {}).unwrap();
    println!("rebuild again {:?}", t.elapsed());
}
