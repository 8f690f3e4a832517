#include "model/onnx_export.h"

#include <fmt/format.h>
#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>
#include <torch/torch.h>

#include <limits>
#include <map>

#include "base/file.h"
#include "model/checkpoint.h"
#include "model/input.h"
#include "model/network.h"
#include "model/program.h"

namespace quarto {
namespace {

constexpr int kIrVersion = 7;  // the version that belongs to opset 13
constexpr std::array<const char*, 3> kHeadNames = {"place", "give", "outcome"};
constexpr std::array<std::int64_t, 3> kHeadSizes = {kMoves, kMoves, 3};

// Writes the steps of a program as nodes of the graph, one node per step.
class GraphWriter {
 public:
  GraphWriter(const Program& program, onnx::GraphProto& graph) : program_(program), graph_(graph) {}

  void write() {
    graph_.set_name("quartozero");
    const NetworkInput input = input_of(program_.config());
    describe(*graph_.add_input(), input.name, input.sizes);
    const std::vector<Program::Step>& steps = program_.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) write(steps[i], name(static_cast<int>(i)));
    for (std::size_t k = 0; k < kHeadNames.size(); ++k) {
      describe(*graph_.add_output(), kHeadNames[k], {kHeadSizes[k]});
      node("Identity", {name(program_.heads()[k])}, kHeadNames[k]);
    }
  }

 private:
  using Op = Program::Op;

  std::string name(int step) const {
    return step == 0 ? input_of(program_.config()).name : fmt::format("step{}", step);
  }

  static void describe(onnx::ValueInfoProto& value, const std::string& name, const Sizes& sizes) {
    value.set_name(name);
    auto* type = value.mutable_type()->mutable_tensor_type();
    type->set_elem_type(onnx::TensorProto::FLOAT);
    type->mutable_shape()->add_dim()->set_dim_param("N");
    for (const std::int64_t n : sizes) type->mutable_shape()->add_dim()->set_dim_value(n);
  }

  onnx::NodeProto& node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output) {
    onnx::NodeProto& node = *graph_.add_node();
    node.set_op_type(type);
    node.set_name(output);
    for (const std::string& in : inputs) node.add_input(in);
    node.add_output(output);
    return node;
  }
  static void attribute(onnx::NodeProto& node, const std::string& name, std::int64_t value) {
    auto* a = node.add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::INT);
    a->set_i(value);
  }
  static void attribute(onnx::NodeProto& node, const std::string& name, const Sizes& values) {
    auto* a = node.add_attribute();
    a->set_name(name);
    a->set_type(onnx::AttributeProto::INTS);
    for (const std::int64_t v : values) a->add_ints(v);
  }

  std::string constant(const std::string& name, const torch::Tensor& tensor) {
    const torch::Tensor plain = tensor.to(torch::kCPU).contiguous();
    onnx::TensorProto& proto = *graph_.add_initializer();
    proto.set_name(name);
    for (const std::int64_t n : plain.sizes()) proto.add_dims(n);
    proto.set_data_type(plain.scalar_type() == torch::kInt64 ? onnx::TensorProto::INT64 : onnx::TensorProto::FLOAT);
    proto.set_raw_data(plain.data_ptr(), plain.nbytes());
    return name;
  }
  std::string numbers(const std::string& name, const Sizes& values) {
    return constant(name, torch::tensor(values, torch::kInt64));
  }

  void write(const Program::Step& step, const std::string& out) {
    const auto in = [&](std::size_t k) { return name(step.inputs[k]); };
    const auto weight = [&](std::size_t k) {
      std::string& known = written_[step.constants[k].unsafeGetTensorImpl()];
      if (known.empty()) known = constant(fmt::format("{}_constant{}", out, k), step.constants[k]);
      return known;
    };
    const Sizes& n = step.numbers;
    switch (step.op) {
      case Op::input:
        break;
      case Op::linear:
        node("Gemm", {in(0), weight(0), weight(1)}, out);
        break;
      case Op::linear_onto:
        node("Gemm", {in(1), weight(0), in(0)}, out);
        break;
      case Op::mix:
        node("MatMul", {weight(0), in(0)}, out);
        break;
      case Op::conv:
        attribute(node("Conv", {in(0), weight(0), weight(1)}, out), "pads", {n[0], n[0], n[0], n[0]});
        break;
      case Op::add:
        node("Add", {in(0), in(1)}, out);
        break;
      case Op::relu:
        node("Relu", {in(0)}, out);
        break;
      case Op::mean:
        reduce("ReduceMean", in(0), n[0], out);
        break;
      case Op::max:
        reduce("ReduceMax", in(0), n[0], out);
        break;
      case Op::reshape:
        node("Reshape", {in(0), numbers(out + "_sizes", n)}, out);
        break;
      case Op::slice:
        node("Slice",
             {in(0), numbers(out + "_begin", {n[1]}), numbers(out + "_end", {n[2]}), numbers(out + "_axis", {n[0]})},
             out);
        break;
      case Op::concat: {
        std::vector<std::string> inputs;
        for (std::size_t k = 0; k < step.inputs.size(); ++k) inputs.push_back(in(k));
        attribute(node("Concat", inputs, out), "axis", n[0]);
        break;
      }
    }
  }
  void reduce(const std::string& type, const std::string& in, std::int64_t axis, const std::string& out) {
    onnx::NodeProto& reduction = node(type, {in}, out);
    attribute(reduction, "axes", Sizes{axis});
    attribute(reduction, "keepdims", std::int64_t{0});
  }

  const Program& program_;
  onnx::GraphProto& graph_;
  std::map<const void*, std::string> written_;  // constants by address, and their names
};

}  // namespace

bool onnx_available() { return true; }

void export_onnx(const std::filesystem::path& checkpoint, const std::filesystem::path& out, const Metadata& notes) {
  WeightsInfo info;
  const std::shared_ptr<Network> network = load_network(checkpoint, &info);
  const Program program(*network, torch::kCPU);

  onnx::ModelProto model;
  model.set_ir_version(kIrVersion);
  model.set_producer_name("quartozero");
  model.add_opset_import()->set_version(kOnnxOpset);
  GraphWriter(program, *model.mutable_graph()).write();
  for (const auto& [key, text] : metadata_of(network->config(), info, notes)) {
    auto* entry = model.add_metadata_props();
    entry->set_key(key);
    entry->set_value(text);
  }
  try {
    onnx::checker::check_model(model);
    // Writes the sizes of all intermediate values to the file, for viewers; throws if they are inconsistent.
    constexpr bool kCheckTypes = true;
    constexpr int kStrict = 1;
    onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(), {kCheckTypes, kStrict});
  } catch (const std::exception& e) {
    throw OnnxError(fmt::format("the exported graph does not satisfy the ONNX checker: {}", e.what()));
  }
  std::string bytes;
  if (!model.SerializeToString(&bytes)) throw OnnxError("the exported graph could not be serialised");
  write_file_atomic(out, bytes);
}

}  // namespace quarto
