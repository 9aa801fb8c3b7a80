from IPython.display import display

for name, places in report["rankings"].items():
    print(name.replace("_", " "))
    if places:
        display(pd.DataFrame(places).set_index("rank"))
    else:
        print("  no model has what this ranking needs")
