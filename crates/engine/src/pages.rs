//! The server's buffer pool, made when the first database needs pages.

use std::sync::{Arc, Mutex};

use crate::cold::{ColdError, Pool, PoolOptions};
use crate::wait::Runtime;

/// A buffer pool that is there once somebody has asked for it.
pub struct BufferPool {
    runtime: Runtime,
    options: PoolOptions,
    pool: Mutex<Option<Arc<Pool>>>,
}

impl BufferPool {
    /// A pool that will be made like this.
    pub fn new(runtime: Runtime, options: PoolOptions) -> BufferPool {
        BufferPool { runtime, options, pool: Mutex::default() }
    }

    /// The pool.
    pub fn get(&self) -> Result<Arc<Pool>, ColdError> {
        let mut pool = self.pool.lock().expect("nobody panics while a pool is made");
        match &*pool {
            Some(pool) => Ok(pool.clone()),
            None => Ok(pool.insert(Arc::new(Pool::new(&self.runtime, self.options)?)).clone()),
        }
    }

    /// The pool if it is there.
    pub fn existing(&self) -> Option<Arc<Pool>> {
        self.pool.lock().expect("nobody panics while a pool is made").clone()
    }
}
