mod modifying;
mod reading;
mod writing;
