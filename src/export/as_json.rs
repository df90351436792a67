//! Arrow rows as JSON; types that exports do not have become null.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch, StructArray};
use arrow_schema::DataType;
use serde_json::{Map, Value};

/// The rows, each as an object. Values of types that exports do not have are null.
pub fn objects(batch: RecordBatch) -> Vec<Value> {
    let rows = StructArray::from(batch);
    (0..rows.len()).map(|row| value(&rows, row)).collect()
}

fn value(of: &dyn Array, row: usize) -> Value {
    if of.is_null(row) {
        return Value::Null;
    }
    match of.data_type() {
        DataType::Utf8 => of.as_string::<i32>().value(row).into(),
        DataType::LargeUtf8 => of.as_string::<i64>().value(row).into(),
        DataType::Utf8View => of.as_string_view().value(row).into(),
        DataType::Int32 => of.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => of.as_primitive::<Int64Type>().value(row).into(),
        DataType::Boolean => of.as_boolean().value(row).into(),
        DataType::Float64 => of.as_primitive::<Float64Type>().value(row).into(),
        DataType::List(_) => {
            let list = of.as_list::<i32>().value(row);
            (0..list.len()).map(|at| value(&list, at)).collect()
        }
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(of.as_struct().columns());
            columns.map(|(field, column)| (field.name().clone(), value(column, row))).collect::<Map<_, _>>().into()
        }
        _ => Value::Null,
    }
}
